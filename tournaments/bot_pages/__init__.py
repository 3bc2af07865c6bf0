"""The pages of bots: their ratings, results and admission."""

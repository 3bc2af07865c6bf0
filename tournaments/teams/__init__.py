"""Teams of a season: their players and captains, line-ups and substitutes."""

"""What is done about people who harm others: reports, warnings, mutes, bans, held names, and looking on in support."""

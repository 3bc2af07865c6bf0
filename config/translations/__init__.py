"""The catalogues of translated texts: which texts the sources have, and the files in which translators find them."""

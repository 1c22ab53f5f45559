"""The lexical leg: text to tokens, tokens to BM25 scores."""

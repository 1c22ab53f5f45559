"""How good a search is, measured against judgements: any ``query -> hits`` will do."""

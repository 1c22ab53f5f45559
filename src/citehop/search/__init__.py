"""The search that joins the two legs, and how it scores."""

// placeholder, replaced by the reference model

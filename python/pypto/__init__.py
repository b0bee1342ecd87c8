"""PyPTO: the Ascend kernel compiler that runs on a laptop."""

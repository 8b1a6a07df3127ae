"""What a learner may ask of training besides its size: what pairs may not become, and what training goes on
from."""

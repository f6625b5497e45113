"""Figures on hand-labelled forms, with the weights that ship.

The weights were trained on these very forms, so these are training figures: they show that features
and weights still fit together. `python -m bench forms` computes the cross-validated figures, which
are in docs/quality.md.
"""

import pytest

from bench.forms.figures import score
from bench.forms.labelled import FOLDER, LabelledForm, labelled_forms
from motherlode.documents.forms.purposes import with_purpose
from motherlode.documents.forms.features import Surroundings
from motherlode.records import FormPurpose

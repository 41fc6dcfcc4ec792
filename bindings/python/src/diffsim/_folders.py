"""Package folders of ROS, from its environment variables. The library itself reads no environment variables."""

import os
from functools import lru_cache
from typing import List, Tuple

#: Search below a folder of ROS_PACKAGE_PATH: largest depth, and largest number of folders.
DEPTH, MOST = 5, 20_000


def of_environment() -> List[str]:
    """Folders that hold packages: `share` of each prefix of AMENT_PREFIX_PATH, and the folders within
    ROS_PACKAGE_PATH."""
    ament = [os.path.join(p, "share") for p in _listed("AMENT_PREFIX_PATH")]
    ros = _holding(tuple(_listed("ROS_PACKAGE_PATH")))
    return list(dict.fromkeys([d for d in ament if os.path.isdir(d)] + list(ros)))


def _listed(variable: str) -> List[str]:
    return [os.path.abspath(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]


@lru_cache(maxsize=4)
def _holding(roots: Tuple[str, ...]) -> Tuple[str, ...]:
    """The roots and the folders within them that hold a package. A folder with a package.xml is a package. Packages
    are not nested."""
    found: List[str] = []
    for root in roots:
        if not os.path.isdir(root):
            continue
        # A root may itself be a package.
        found += [root, os.path.dirname(root)] if os.path.exists(os.path.join(root, "package.xml")) else [root]
        left = MOST
        for folder, inner, files in os.walk(root, followlinks=True):
            left -= 1
            if "package.xml" in files:
                found.append(os.path.dirname(folder))
                inner.clear()
            elif left < 0 or folder[len(root) :].count(os.sep) >= DEPTH or "CATKIN_IGNORE" in files:
                inner.clear()
            inner[:] = sorted(i for i in inner if not i.startswith("."))
    return tuple(dict.fromkeys(found))

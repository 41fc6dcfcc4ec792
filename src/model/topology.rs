//! The tree of the recursions: primitive links in depth-first order, and their dofs.
//!
//! A link is one primitive joint and the frame it moves. A user's joint becomes one link (revolute,
//! prismatic, spherical, free) or a chain of links with massless frames between (planar, universal,
//! ...). A body welded to another is on the same link. Every link frame is at its joint's anchor with
//! the joint's axis along z, so that the recursions only need a single revolute and a single prismatic
//! joint. A joint whose S depends on q is one link with any number of dofs, and is in a list of such
//! links.

use super::reduction::Reduction;
pub use crate::joint::LinkKind;
use crate::joint::{VaryingJoint, VaryingLink};
use std::ops::Range;
use std::sync::Arc;

/// Parent of a link on the world, and link of a body welded to the world.
pub const WORLD: usize = usize::MAX;

/// A primitive joint and the frame it moves.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub kind: LinkKind,
    /// Index of the parent link, or [`WORLD`].
    pub parent: usize,
    /// First coordinate in q.
    pub iq: usize,
    /// First dof in v, and number of them.
    pub iv: usize,
    pub nv: usize,
    /// Coordinate at which a one-dof link does not move its frame.
    pub reference: f64,
    /// Kinematic tree to which the link belongs.
    pub tree: usize,
    /// One past the last link of the subtree.
    pub end: usize,
    /// The user's joint that it belongs to.
    pub joint: usize,
}

impl Link {
    /// Its dofs.
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.iv..self.iv + self.nv
    }

    /// The last of its dofs, the parent of those of links below.
    #[inline(always)]
    pub fn last_dof(&self) -> usize {
        self.iv + self.nv - 1
    }
}

/// One degree of freedom. The dofs of a link form a chain.
#[derive(Clone, Copy, Debug)]
pub struct Dof {
    /// The next dof towards the root, or [`WORLD`].
    pub parent: usize,
    /// Number of dofs above it.
    pub depth: usize,
    /// One past the last dof of the subtree; the subtree is the interval from this dof to there.
    pub end: usize,
    pub link: usize,
    /// First index of the dof's row in branch-packed storage. Entry d belongs to its ancestor at depth
    /// d.
    pub row: usize,
}

/// A kinematic tree: a link on the world with all links below it. Trees whose dofs reduced coordinates couple
/// are one.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    pub first_link: usize,
    pub end_link: usize,
    pub first_dof: usize,
    pub end_dof: usize,
    /// The link at whose origin the tree's spatial vectors are taken: the first one with inertia. Far
    /// from its reference point, the inertia of a body loses accuracy.
    pub origin: usize,
}

/// Links, dofs and trees of a model.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    pub links: Vec<Link>,
    pub dofs: Vec<Dof>,
    pub trees: Vec<Tree>,
    /// Links whose S depends on q, in increasing order.
    pub varying: Vec<VaryingLink>,
    pub nq: usize,
    /// Length of branch-packed storage: zero for deep trees.
    pub packed: usize,
    /// Largest number of dofs on a path from the root, rounded up to whole lanes.
    pub max_depth: usize,
    /// Reduced coordinates, if some dofs have any.
    pub reduction: Option<Arc<Reduction>>,
}

/// A tree with more dofs than this on a path is deep: sweeps that are linear in the dofs are then faster
/// than packed rows over the path. The value was measured with chains; robots have far fewer dofs on a
/// path.
pub const DEEP: usize = 64;

/// Rows of branch-packed storage are padded to this many numbers.
pub const LANES: usize = 4;

/// `n` rounded up to whole lanes.
#[inline(always)]
pub const fn padded(n: usize) -> usize {
    n.div_ceil(LANES) * LANES
}

/// The dofs from a link to the root.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    dofs: &'a [Dof],
    next: usize,
}

impl Iterator for Path<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let k = self.next;
        if k == WORLD {
            return None;
        }
        self.next = self.dofs[k].parent;
        Some(k)
    }
}

impl Topology {
    /// The dofs that move a link, from its own to the root's; none for the world.
    #[inline(always)]
    pub fn path(&self, link: usize) -> Path<'_> {
        let next = match link {
            WORLD => WORLD,
            link => self.links[link].last_dof(),
        };
        Path {
            dofs: &self.dofs,
            next,
        }
    }

    /// The last dof of a link, or the world.
    pub fn tip(&self, link: usize) -> usize {
        if link == WORLD {
            WORLD
        } else {
            self.links[link].iv + self.links[link].kind.nv() - 1
        }
    }

    /// The last dof at or above `from` for which `is` holds, or the world.
    pub fn nearest(&self, from: usize, is: impl Fn(usize) -> bool) -> usize {
        let mut k = from;
        while k != WORLD && !is(k) {
            k = self.dofs[k].parent;
        }
        k
    }

    /// The last dof that moves both of two dofs' bodies, or the world.
    #[inline(always)]
    pub fn join(&self, a: usize, b: usize) -> usize {
        if b == WORLD {
            return WORLD;
        }
        let mut dof = a;
        while dof != WORLD && !(dof..self.dofs[dof].end).contains(&b) {
            dof = self.dofs[dof].parent;
        }
        dof
    }

    /// Dofs of the largest tree.
    pub fn largest_tree(&self) -> usize {
        let sizes = self.trees.iter().map(|t| t.end_dof - t.first_dof);
        sizes.max().unwrap_or(0)
    }

    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Links with a quaternion among their coordinates, for which ⊕ is not addition.
    #[inline(always)]
    pub fn wide_links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|l| l.kind.quaternion().is_some())
    }

    /// Whether one of two dofs is above the other, or both are the same.
    pub fn are_on_a_path(&self, a: usize, b: usize) -> bool {
        let (upper, lower) = (a.min(b), a.max(b));
        lower < self.dofs[upper].end
    }

    /// Whether paths are too long for branch-packed storage. It is then not allocated.
    pub fn is_deep(&self) -> bool {
        self.max_depth > DEEP
    }

    /// Appends a link below `parent`. Links must be appended depth first.
    pub(crate) fn push(&mut self, kind: LinkKind, parent: usize, joint: usize, reference: f64) {
        let (iv, id) = (self.dofs.len(), self.links.len());
        let nv = kind.nv();
        let mut above = match parent {
            WORLD => WORLD,
            parent => self.links[parent].last_dof(),
        };
        for k in 0..nv {
            let depth = if above == WORLD {
                0
            } else {
                self.dofs[above].depth + 1
            };
            self.dofs.push(Dof {
                parent: above,
                depth,
                end: 0,
                link: id,
                row: self.packed,
            });
            self.packed += padded(depth + 1);
            self.max_depth = self.max_depth.max(padded(depth + 1));
            above = iv + k;
        }
        let tree = if parent == WORLD {
            self.trees.push(Tree {
                first_link: id,
                end_link: id,
                first_dof: iv,
                end_dof: iv,
                origin: id,
            });
            self.trees.len() - 1
        } else {
            self.links[parent].tree
        };
        self.links.push(Link {
            kind,
            parent,
            iq: self.nq,
            iv,
            nv,
            reference,
            tree,
            end: 0,
            joint,
        });
        self.nq += kind.nq();
    }

    /// Makes one tree of the trees from `first` to `last`, whose dofs move together. After
    /// [`Topology::finish`].
    pub(super) fn merge_trees(&mut self, first: usize, last: usize) {
        let (end_link, end_dof) = (self.trees[last].end_link, self.trees[last].end_dof);
        (self.trees[first].end_link, self.trees[first].end_dof) = (end_link, end_dof);
        self.trees.drain(first + 1..=last);
        for l in &mut self.links {
            l.tree = match l.tree {
                k if k > last => k - (last - first),
                k => k.min(first),
            };
        }
    }

    /// Registers the varying joint of the next link.
    pub(crate) fn take_up(&mut self, joint: &Arc<dyn VaryingJoint>) -> LinkKind {
        let (index, dofs) = (self.varying.len() as u16, joint.dofs() as u8);
        self.varying.push(VaryingLink {
            link: self.links.len(),
            joint: joint.clone(),
        });
        LinkKind::Varying { index, dofs }
    }

    /// Computes the ends of subtrees and trees, after the last link.
    pub(crate) fn finish(&mut self) {
        if self.is_deep() {
            self.packed = 0;
        }
        for i in (0..self.links.len()).rev() {
            let own = self.links[i].last_dof() + 1;
            self.links[i].end = self.links[i].end.max(i + 1);
            let end = self.links[i].end;
            let dof_end = self.dofs[own - 1].end.max(own);
            for k in self.links[i].iv..own {
                self.dofs[k].end = dof_end;
            }
            match self.links[i].parent {
                WORLD => {
                    let t = &mut self.trees[self.links[i].tree];
                    t.end_link = end;
                    t.end_dof = dof_end;
                }
                p => {
                    self.links[p].end = self.links[p].end.max(end);
                    let last = self.links[p].last_dof();
                    self.dofs[last].end = self.dofs[last].end.max(dof_end);
                }
            }
        }
    }
}

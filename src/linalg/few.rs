//! Sorting of a few items.

/// Sorts by insertion. Equal items keep their order. For lists of a few items: a sort of the standard library
/// adds thousands of bytes to the library for each type and order.
pub(crate) fn sort_few<T>(items: &mut [T], mut before: impl FnMut(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut k = end;
        while k > 0 && before(&items[k], &items[k - 1]) {
            items.swap(k - 1, k);
            k -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort_few;

    #[test]
    fn it_is_the_stable_sort() {
        for seed in 0..200_u64 {
            let digit = |k: u64| (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ k) >> 61;
            let list: Vec<(u64, u64)> = (0..seed % 9).map(|k| (digit(k), k)).collect();
            let (mut own, mut other) = (list.clone(), list);
            sort_few(&mut own, |a, b| a.0 < b.0);
            other.sort_by_key(|x| x.0);
            assert_eq!(own, other);
        }
    }
}

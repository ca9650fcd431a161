// Links of binary trees. Bit 0 set: a leaf, with its triangle in bits 1-31. Bit 0 clear: the first
// of two adjacent children in bits 1-31.

/**
 * Notes the target of a node: the level of its children plus 1, or its triangle. False if the
 * target was noted before, does not exist, comes before the node, or lies too deep.
 *
 * @param level steps below the root, plus 1
 * @param levels u16 of each node, 0 without a parent so far
 * @param seen u16 of each triangle, and one more; 0 unless it was met
 */
@inline
export function follow(
  word: u32,
  node: u32,
  level: u32,
  deepest: u32,
  nodes: u32,
  total: u32,
  levels: usize,
  seen: usize,
): bool {
  const isLeaf = word & 1;
  const index = word >>> 1;
  if (index >= (isLeaf ? total : nodes - 1)) return false;
  if (!isLeaf && (index <= node || level > deepest)) return false;
  const at = (isLeaf ? seen : levels) + ((<usize>index) << 1);
  const both: u32 = isLeaf ? 0xffff : 0xffffffff;
  const before = load<u32>(at);
  if (before & both) return false;
  store<u32>(at, before | (((level + 1) * 0x10001) & both));
  return true;
}

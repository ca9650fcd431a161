/**
 * Which engine answers for two k-DOP trees:
 *
 * | Trees                                   | Query    | Kernel    | Search     |
 * |-----------------------------------------|----------|-----------|------------|
 * | 16 bits or fewer                        | no level | kernel.ts | descent.ts |
 * | 16 bits or fewer                        | a level  |           | descent.ts |
 * | more bits                               | any      |           | descent.ts |
 * | scales more than 2^FARTHEST_SCALES apart | any      |           |            |
 *
 * What neither answers, the common path does.
 */
export { checkKdopTrees as search } from './descent.ts';
export { kernelOfKdopTrees as kernel } from './kernel.ts';

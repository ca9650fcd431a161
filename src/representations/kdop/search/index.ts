/**
 * Which engine answers for two k-DOP trees:
 *
 * | Trees                                    | Query    | Kernel    | Search     |
 * |------------------------------------------|----------|-----------|------------|
 * | of any bits                              | no level | kernel.ts | descent.ts |
 * | of any bits                              | a level  |           | descent.ts |
 * | scales more than 2^FARTHEST_SCALES apart | any      |           |            |
 *
 * What neither answers, the common path does.
 */
export { checkKdopTrees as search } from './descent.ts';
export { kernelOfKdopTrees as kernel } from './kernel.ts';
export { onDevice } from './on-device.ts';

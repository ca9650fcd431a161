/**
 * Chooses the engine for two k-DOP trees:
 *
 * |------------------------------------------|----------|-----------|------------|
 *
 * If neither applies, the common path answers.
 */
export { checkKdopTrees as search } from './descent.ts';
export { kernelOfKdopTrees as kernel } from './kernel.ts';
export { onDevice } from './on-device.ts';

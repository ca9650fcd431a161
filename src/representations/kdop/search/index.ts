/** The search of two k-DOP trees, and what a device needs of them. */
export { checkKdopTrees as search } from './descent.ts';
export { onDevice } from './on-device.ts';

/** The search of two k-DOP trees, and the functions that a device needs. */
export { checkKdopTrees as search } from './descent.ts';
export { onDevice } from './on-device.ts';

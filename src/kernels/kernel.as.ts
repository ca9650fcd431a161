/** Only the exact predicates, for tests; kernels of kinds have the ones that they need. */
export { orient2d, orient3d, setTriangleScratch } from './orient.as';
export { trianglesMeet } from './triangle-pair.as';

/** The exact predicates alone, which tests ask; kernels of kinds have those that they need. */
export { orient2d, orient3d, setTriangleScratch } from './orient.as';
export { trianglesMeet } from './triangle-pair.as';

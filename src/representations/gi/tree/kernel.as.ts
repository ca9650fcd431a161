/** Fits the nodes of geometry images in WebAssembly, for kernel.ts. */
export { ballScratch, fitBalls } from './balls.as';
export { fitSlabs } from './slabs.as';

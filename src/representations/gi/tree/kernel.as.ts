/** What fits the nodes of geometry images in WebAssembly: kernel.ts asks it. */
export { ballScratch, fitBalls } from './balls.as';
export { fitSlabs } from './slabs.as';

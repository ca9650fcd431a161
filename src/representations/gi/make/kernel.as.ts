/** Walks overlays and fits samples in WebAssembly, for kernel.ts. */
export { clearGather, gatherRow, gatherTotal, solveFit } from './fit.as';
export { beginOverlay, overlayArea, overlayPieces, overlayScratch, walkOverlay } from './overlay.as';

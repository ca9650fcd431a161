/**
 * The canvas and what draws on it: when something changed, and at no other time; and not before the
 * graphics card has finished the frame before, so that the page's thread is never kept waiting.
 */
import { Color, type PerspectiveCamera, type Scene, SRGBColorSpace, setConsoleFunction, WebGLRenderer } from 'three';
import type { Paint } from '../../palette.ts';
import { createSmooth } from './smooth.ts';

/** More pixels a pixel of the page cost time, and nobody sees them. */
const MOST_RATIO = 2;

export interface Drawn {
  calls: number;
  triangles: number;
}

export interface Canvas {
  readonly element: HTMLCanvasElement;
  /** Pixels of the page. */
  readonly size: { width: number; height: number };
  /** Has a frame drawn soon. */
  invalidate(): void;
  setBackground(paint: Paint): void;
  /**
   * @param isSmooth whether the steps of slanted edges are smoothed, which takes time
   * @param sharpness pixels along an edge of a pixel that the screen has
   */
  draw(scene: Scene, camera: PerspectiveCamera, isSmooth: boolean, sharpness: number): Drawn;
  dispose(): void;
}

/** What the canvas asks for and tells. */
export interface Painter {
  /** Draws a frame. @returns whether something moves, and the next frame is wanted */
  frame(now: number): boolean;
  onSize(width: number, height: number): void;
  onLost(isLost: boolean): void;
  /** The card has finished what was drawn last. @param ms since that was drawn */
  onDone(ms: number): void;
}

/** @throws where the browser has no WebGL */
export function createCanvas(parent: HTMLElement, painter: Painter): Canvas {
  // The page's console is silent: what three has to say of a lost context, the page shows.
  setConsoleFunction(() => {});
  const renderer = new WebGLRenderer({ stencil: true, powerPreference: 'high-performance' });
  const gl = renderer.getContext() as WebGL2RenderingContext;
  const smooth = createSmooth(gl);
  const card = createCard(gl, painter.onDone);
  const element = renderer.domElement;
  const size = { width: 1, height: 1 };
  let isLost = false;
  let isWanted = false;
  parent.append(element);

  const turn = createTurn((now) => {
    if (isLost) return;
    if (!card.isDone(now)) {
      turn.ask();
      return;
    }
    if (!isWanted) return;
    isWanted = false;
    if (painter.frame(now)) isWanted = true;
    // Once more also without a wish: to hear when the card is done.
    turn.ask();
  });
  const invalidate = (): void => {
    isWanted = true;
    turn.ask();
  };
  const resize = (): void => {
    const { clientWidth, clientHeight } = parent;
    if (clientWidth === 0 || clientHeight === 0) return;
    size.width = clientWidth;
    size.height = clientHeight;
    renderer.setSize(clientWidth, clientHeight);
    painter.onSize(clientWidth, clientHeight);
    // A canvas that has changed its size is empty: it is drawn before anybody sees that.
    if (!isLost && painter.frame(performance.now())) invalidate();
  };
  const observer = new ResizeObserver(resize);
  const setLost = (lost: boolean): void => {
    isLost = lost;
    if (lost) {
      card.forget();
      smooth.forget();
    }
    painter.onLost(lost);
    if (!lost) invalidate();
  };
  const ending = new AbortController();
  const { signal } = ending;
  element.addEventListener('webglcontextlost', () => setLost(true), { signal });
  element.addEventListener('webglcontextrestored', () => setLost(false), { signal });
  observer.observe(parent);

  return {
    ...{ element, size, invalidate },
    setBackground: (paint) => renderer.setClearColor(new Color().setRGB(...paint, SRGBColorSpace)),
    draw(scene, camera, isSmooth, sharpness) {
      const render = (): Drawn => drawnBy(renderer, scene, camera);
      const ratio = sharpness * Math.min(devicePixelRatio, MOST_RATIO);
      if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
      const begin = performance.now();
      const drawn = isSmooth ? smooth.around(render) : render();
      if (card.begin(begin)) turn.ask();
      return drawn;
    },
    dispose() {
      turn.stop();
      isLost = true;
      observer.disconnect();
      ending.abort();
      smooth.dispose();
      renderer.dispose();
      renderer.forceContextLoss();
      element.remove();
    },
  };
}

function drawnBy(renderer: WebGLRenderer, scene: Scene, camera: PerspectiveCamera): Drawn {
  renderer.render(scene, camera);
  const { calls, triangles } = renderer.info.render;
  return { calls, triangles };
}

/** Runs once in the next frame of the page, however often it is asked. */
export function createTurn(run: (now: number) => void) {
  let request = 0;
  return {
    ask(): void {
      if (request !== 0) return;
      request = requestAnimationFrame(() => {
        request = 0;
        run(performance.now());
      });
    },
    stop: (): void => cancelAnimationFrame(request),
  };
}

/** The graphics card, which works on a frame after it was told all of it. */
function createCard(gl: WebGL2RenderingContext, onDone: Painter['onDone']) {
  let pending: { fence: WebGLSync; begin: number } | null = null;
  return {
    /** A frame was told from then on. @returns whether its end can be waited for */
    begin(begin: number): boolean {
      if (pending) gl.deleteSync(pending.fence);
      const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      pending = fence && { fence, begin };
      return pending !== null;
    },
    /** Whether it is idle. */
    isDone(now: number): boolean {
      if (!pending) return true;
      if (gl.getSyncParameter(pending.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
      gl.deleteSync(pending.fence);
      const took = now - pending.begin;
      pending = null;
      onDone(took);
      return true;
    },
    /** The card is lost, and what it worked on. */
    forget(): void {
      pending = null;
    },
  };
}

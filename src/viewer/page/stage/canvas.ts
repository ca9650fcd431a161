/**
 * The canvas: draws only after changes, and only when the graphics card has finished the previous
 * frame, so that the page's thread never waits. Edges are smoothed.
 */
import {
  Color,
  type PerspectiveCamera,
  type Scene,
  SRGBColorSpace,
  setConsoleFunction,
  Vector2,
  WebGLRenderer,
} from 'three';
import type { Paint } from '../../palette.ts';

/** More device pixels per page pixel cost time without visible gain. */
const MOST_RATIO = 2;

export interface Drawn {
  calls: number;
  triangles: number;
}

export interface Canvas {
  readonly element: HTMLCanvasElement;
  readonly size: { width: number; height: number };
  invalidate(): void;
  setBackground(paint: Paint): void;
  /**
   * @param quality `isSmooth`: smooths slanted edges, which takes time; `sharpness`: drawn pixels
   *   along the edge of a screen pixel
   */
  draw(scene: Scene, camera: PerspectiveCamera, quality: { isSmooth: boolean; sharpness: number }): Drawn;
  dispose(): void;
}

interface Painter {
  /** Draws a frame; returns true if something moves, and the next frame is needed. */
  frame(now: number): boolean;
  onSize(width: number, height: number): void;
  onLost(isLost: boolean): void;
  /** The card has finished the last frame. @param ms time since it was drawn */
  onDone(ms: number): void;
}

/** @throws if the browser has no WebGL */
export function createCanvas(parent: HTMLElement, painter: Painter): Canvas {
  // Keeps three's messages off the console; the page reports a lost context.
  setConsoleFunction(() => {});
  const renderer = new WebGLRenderer({ stencil: true, powerPreference: 'high-performance' });
  const gl = renderer.getContext() as WebGL2RenderingContext;
  const smooth = createSmooth(renderer, gl);
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
    // Asks once more, even without a request, to learn when the card is done.
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
    // A resized canvas is empty: draw before it is shown.
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
    draw(scene, camera, { isSmooth, sharpness }) {
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

/** Runs at most once per frame, however often it is requested. */
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

function createCard(gl: WebGL2RenderingContext, onDone: Painter['onDone']) {
  let pending: { fence: WebGLSync; begin: number } | null = null;
  return {
    /** A frame was submitted. @returns true if its end can be awaited */
    begin(begin: number): boolean {
      if (pending) gl.deleteSync(pending.fence);
      const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      pending = fence && { fence, begin };
      return pending !== null;
    },
    isDone(now: number): boolean {
      if (!pending) return true;
      if (gl.getSyncParameter(pending.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
      gl.deleteSync(pending.fence);
      const took = now - pending.begin;
      pending = null;
      onDone(took);
      return true;
    },
    forget(): void {
      pending = null;
    },
  };
}

/*
 * Smooths edges by drawing twice the pixels along each edge in a buffer of its own; their means go
 * to the canvas. A canvas with built-in smoothing could not turn it off when drawing is slow.
 * Several samples a pixel left dashes of hidden faces where walls meet, and took a third longer:
 * 401 ms against 298 for 180,000 triangles by the processor.
 *
 * The buffers are not three's: it draws to the bound buffer without knowing it.
 */

const FINER = 2;

interface Buffers {
  frame: WebGLFramebuffer;
  colours: WebGLRenderbuffer;
  depths: WebGLRenderbuffer;
  width: number;
  height: number;
}

function createSmooth(renderer: WebGLRenderer, gl: WebGL2RenderingContext) {
  let buffers: Buffers | null = null;

  const dispose = (): void => {
    if (!buffers) return;
    gl.deleteFramebuffer(buffers.frame);
    gl.deleteRenderbuffer(buffers.colours);
    gl.deleteRenderbuffer(buffers.depths);
    buffers = null;
  };
  const setViewport = (finer: number): void => {
    const { x, y } = renderer.getSize(new Vector2());
    renderer.setViewport(0, 0, finer * x, finer * y);
  };

  return {
    /** Smooths the output of `draw` and sends it to the canvas. */
    around<T>(draw: () => T): T {
      const { drawingBufferWidth, drawingBufferHeight } = gl;
      const [width, height] = [FINER * drawingBufferWidth, FINER * drawingBufferHeight];
      if (Math.max(width, height) > gl.getParameter(gl.MAX_RENDERBUFFER_SIZE)) return draw();
      if (buffers?.width !== width || buffers.height !== height) {
        dispose();
        buffers = makeBuffers(gl, width, height);
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.frame);
      setViewport(FINER);
      const drawn = draw();
      setViewport(1);
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, buffers.frame);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      const to = [0, 0, drawingBufferWidth, drawingBufferHeight] as const;
      gl.blitFramebuffer(0, 0, width, height, ...to, gl.COLOR_BUFFER_BIT, gl.LINEAR);
      // No longer needed, so the card need not keep them.
      gl.invalidateFramebuffer(gl.READ_FRAMEBUFFER, [gl.COLOR_ATTACHMENT0, gl.DEPTH_STENCIL_ATTACHMENT]);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      return drawn;
    },
    /** The context was lost, and with it all buffers. */
    forget(): void {
      buffers = null;
    },
    dispose,
  };
}

function makeBuffers(gl: WebGL2RenderingContext, width: number, height: number): Buffers {
  const store = (format: number): WebGLRenderbuffer => {
    const buffer = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
    return buffer;
  };
  const frame = gl.createFramebuffer();
  const colours = store(gl.RGBA8);
  const depths = store(gl.DEPTH24_STENCIL8);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, colours);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_STENCIL_ATTACHMENT, gl.RENDERBUFFER, depths);
  return { frame, colours, depths, width, height };
}

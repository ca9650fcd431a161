/**
 * Smooths edges by sampling each pixel several times in an own buffer, whose mean goes to the
 * canvas. A canvas with built-in smoothing could not turn it off when drawing is slow.
 *
 * The buffers are not three's: it draws to the bound buffer without knowing it.
 */

const SAMPLES = 4;

interface Buffers {
  frame: WebGLFramebuffer;
  colours: WebGLRenderbuffer;
  depths: WebGLRenderbuffer;
  width: number;
  height: number;
}

export function createSmooth(gl: WebGL2RenderingContext) {
  let buffers: Buffers | null = null;

  const dispose = (): void => {
    if (!buffers) return;
    gl.deleteFramebuffer(buffers.frame);
    gl.deleteRenderbuffer(buffers.colours);
    gl.deleteRenderbuffer(buffers.depths);
    buffers = null;
  };

  return {
    /** What `draw` draws goes to the canvas, smoothed. */
    around<T>(draw: () => T): T {
      const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
      if (buffers?.width !== width || buffers.height !== height) {
        dispose();
        buffers = makeBuffers(gl, width, height);
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.frame);
      const drawn = draw();
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, buffers.frame);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
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
  const samples = Math.min(SAMPLES, gl.getParameter(gl.MAX_SAMPLES));
  const store = (format: number): WebGLRenderbuffer => {
    const buffer = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, width, height);
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

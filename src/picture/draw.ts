/** Makes a picture from bodies, a view and captions; all pictures are made here. */
import { Canvas } from './canvas.ts';
import { type HalfSpace, rowsOf, type View } from './perspective.ts';
import { type Body, type Paint, render } from './shade.ts';
import { drawable, drawText, fittedTo, type TextStyle, widthOf } from './text.ts';

/** Bodies that hide each other. */
export interface Layer {
  bodies: readonly Body[];
  /** How much they hide of the picture behind them; default 1. */
  opacity?: number;
  /** The part of them that a section leaves; default all. */
  kept?: HalfSpace | null;
}

/** Pixels drawn at once: each needs 180 bytes. */
const MOST_AT_ONCE = 1 << 20;

/** Draws layers over the picture at (left, top), each over the previous ones. */
export function drawLayers(canvas: Canvas, layers: readonly Layer[], view: View, left = 0, top = 0): void {
  const { pixels, height = pixels } = view;
  const rows = Math.max(1, Math.floor(MOST_AT_ONCE / pixels));
  for (const { bodies, opacity, kept = null } of layers) {
    for (let row = 0; row < height; row += rows) {
      const band = { ...rowsOf(view, row, Math.min(rows, height - row)), kept };
      canvas.cover(render(bodies, band), pixels, left, top + row, opacity);
    }
  }
}

/** Paths (x, y, z of points joined in order) as points and ends of lines. */
export function linesOf(paths: Iterable<readonly (readonly number[])[]>): { points: number[]; ends: number[] } {
  const [points, ends]: [number[], number[]] = [[], []];
  for (const path of paths) {
    for (let i = 1; i < path.length; i++) ends.push(points.length / 3 + i - 1, points.length / 3 + i);
    for (const point of path) points.push(...point);
  }
  return { points, ends };
}

/** From the front, a little from the right and above; y is up. */
export const FRONT = [0.55, 0.42, 1] as const;
export const CLAY: Paint = [214, 208, 198];

const QUARTERS: readonly Paint[] = [
  [48, 122, 204],
  [32, 164, 122],
  [236, 158, 46],
  [208, 66, 98],
];

/** The paint of a quarter, 0 to 3, or a lighter one, so that neighbors differ. */
export function paintOfQuarter(quarter: number, { isLighter }: { isLighter: boolean }): Paint {
  const [r, g, b] = QUARTERS[quarter];
  return isLighter ? [r + (255 - r) / 4, g + (255 - g) / 4, b + (255 - b) / 4] : [r, g, b];
}

/** Pixels round panels. */
export const GAP = 20;
/** The baselines of a caption's lines, below the panel. */
const BASELINES = [34, 60, 82];
const TITLE: TextStyle = { unit: 1.55, weight: 2.5, paint: [32, 36, 44] };
const DETAIL: TextStyle = { unit: 1.25, weight: 1.55, paint: [96, 102, 114] };

/** Panels beside each other, each with a caption of a title and two lines below it. */
export class Sheet {
  readonly canvas: Canvas;

  /**
   * @param count of the panels
   * @param side of a panel, pixels
   * @param last width of the last one
   */
  constructor(
    count: number,
    private readonly side: number,
    last = side,
  ) {
    this.canvas = new Canvas(count * (side + GAP) + GAP + last - side, GAP + side + BASELINES[2] + 18);
  }

  left(panel: number): number {
    return GAP + panel * (this.side + GAP);
  }

  draw(panel: number, layers: readonly Layer[], view: View): void {
    drawLayers(this.canvas, layers, view, this.left(panel), GAP);
  }

  caption(panel: number, lines: readonly string[]): void {
    const x = this.left(panel) + 2;
    lines.forEach((line, i) => {
      drawText(this.canvas, line, { x, baseline: GAP + this.side + BASELINES[i], ...(i === 0 ? TITLE : DETAIL) });
    });
  }
}

/** The text below a picture: its objects, and the result. */
interface Caption {
  /** Each with a swatch of its paint. */
  names: readonly { name: string; paint: Paint }[];
  /** Beside the names, if they leave room. */
  title: string;
  detail: string;
  ink: Paint;
  /** The color of the title; default `ink`. */
  accent?: Paint;
  /** The color of the detail. */
  quiet: Paint;
}

/** Pixels. */
export const CAPTION_HEIGHT = 64;
const LEFT = 16;
const SWATCH = 12;
/** The baselines of the two lines, from the top of the caption. */
const LINES = [24, 48];
/** Maximum number of letters of a text. */
const LONGEST = 500;
const NAME_SHARE = 0.34;

export function drawCaption(canvas: Canvas, { names, title, detail, ink, accent = ink, quiet }: Caption): void {
  const [first, second] = LINES.map((line) => canvas.height - CAPTION_HEIGHT + line);
  const [large, small] = [
    { unit: 1.4, weight: 2.1, paint: ink },
    { unit: 1.2, weight: 1.5, paint: quiet },
  ];
  let x = LEFT;
  const write = (text: string, baseline: number, style: TextStyle, most = canvas.width): void => {
    const fitted = fittedTo(drawable(text.slice(0, LONGEST)), style.unit, Math.min(most, canvas.width - LEFT - x));
    drawText(canvas, fitted, { x, baseline, ...style });
    x += Math.ceil(widthOf(fitted, style.unit)) + GAP;
  };
  for (const { name, paint } of names) {
    if (x + SWATCH + GAP > canvas.width) continue;
    canvas.stain(new Float32Array(SWATCH * SWATCH).fill(1), SWATCH, x, first - SWATCH, paint);
    x += SWATCH + 8;
    write(name, first, large, NAME_SHARE * canvas.width);
  }
  const hasRoom = x + widthOf(drawable(title.slice(0, LONGEST)), large.unit) <= canvas.width - LEFT;
  if (hasRoom) write(title, first, { ...large, paint: accent });
  x = LEFT;
  const below = hasRoom ? [detail] : [title, detail];
  write(below.filter((text) => text !== '').join(', '), second, small);
}

/** What stands below the picture of a view: which two, what was found of them, and how much. */
import { bracketText } from '../../math/printable.ts';
import { patchesTogether } from '../../pair/report-text.ts';
import type { Report } from '../../query/report.ts';
import type { ReportFinding } from '../../report/model.ts';
import type { ViewDocument } from '../../viewer/document.ts';
import type { Palette } from '../../viewer/palette.ts';
import type { FullAnswer } from '../../viewer/protocol.ts';
import type { Canvas } from '../../picture/canvas.ts';
import { drawable, drawText, widthOf } from '../../picture/text.ts';
import { mixed, toPaint } from './view-bodies.ts';

/** Pixels. */
export const CAPTION_HEIGHT = 64;
const LEFT = 16;
const SWATCH = 12;
const GAP = 20;
/** Of the two lines, from the top of the caption. */
const BASELINES = [24, 48] as const;
/** Most letters of a text that are looked at. */
const LONGEST = 500;
/** How much of the width a name may take. */
const NAME_SHARE = 0.34;
const TITLE = { unit: 1.4, weight: 2.1 };
const DETAIL = { unit: 1.2, weight: 1.5 };

export interface Caption {
  /** The names of the two; null where there are none. */
  a: string | null;
  b: string | null;
  full: FullAnswer | null;
  finding: ReportFinding | null;
}

/** Writes the caption at the bottom of a canvas. */
export function drawCaption(canvas: Canvas, document: ViewDocument, caption: Caption, palette: Palette): void {
  const top = canvas.height - CAPTION_HEIGHT;
  const ink = toPaint(palette.pointer);
  const quiet = mixed(palette.grid, palette.pointer, 0.4);
  const [first, second] = wordsOf(document, caption);
  let x = LEFT;
  const write = (text: string, line: 0 | 1, style: typeof TITLE, paint = ink, most = canvas.width): void => {
    const fitted = fittedTo(drawable(text.slice(0, LONGEST)), style.unit, Math.min(most, canvas.width - LEFT - x));
    drawText(canvas, fitted, { x, baseline: top + BASELINES[line], ...style, paint });
    x += Math.ceil(widthOf(fitted, style.unit)) + GAP;
  };
  for (const side of ['a', 'b'] as const) {
    const name = caption[side];
    if (name === null || x + SWATCH + GAP > canvas.width) continue;
    const square = new Float32Array(SWATCH * SWATCH).fill(1);
    canvas.stain(square, SWATCH, x, top + BASELINES[0] - SWATCH, toPaint(palette[side]));
    x += SWATCH + 8;
    write(name, 0, TITLE, ink, NAME_SHARE * canvas.width);
  }
  // Where the names leave no room for the verdict, it stands below them.
  const hasRoom = x + widthOf(drawable(first.slice(0, LONGEST)), TITLE.unit) <= canvas.width - LEFT;
  if (hasRoom) write(first, 0, TITLE);
  x = LEFT;
  const below = hasRoom ? [second] : [first, second];
  write(below.filter((text) => text !== '').join(', '), 1, DETAIL, quiet);
}

/** What is said beside the names, and below them. */
function wordsOf({ title, summary, units }: ViewDocument, { full, finding }: Caption): [string, string] {
  const unit = units === null ? [] : [`in ${units}`];
  if (finding) return [finding.message, [finding.rule, finding.id, ...unit].join(', ')];
  if (!full) return [title, summary ?? ''];
  if (full.problem !== null) return ['', full.problem];
  return [found(full.report), [...sizesOf(full), ...unit].join(', ')];
}

/** The verdict, and the class where that says more. */
const found = ({ verdict, class: kind }: Pick<Report, 'verdict' | 'class'>): string =>
  kind === undefined || kind === verdict ? verdict : `${verdict}: ${kind}`;

function sizesOf({ report: { thickness, distance }, contacts }: FullAnswer): string[] {
  const together = patchesTogether(contacts.patches);
  return [
    ...(thickness && thickness.upper > 0 ? [`${bracketText(thickness)} thick`] : []),
    ...(distance !== null && distance > 0 ? [`distance ${distance}`] : []),
    ...(together === '' ? [] : [together]),
  ];
}

/** As much of a text as so many pixels hold. */
function fittedTo(text: string, unit: number, pixels: number): string {
  if (widthOf(text, unit) <= pixels) return text;
  let end = text.length;
  while (end > 0 && widthOf(`${text.slice(0, end)}...`, unit) > pixels) end--;
  return end === 0 ? '' : `${text.slice(0, end)}...`;
}

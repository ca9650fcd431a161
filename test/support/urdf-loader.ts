/** Robots as urdf-loader knows them: objects of three.js, with quaternions and a DOM of its own. */
import { DOMParser } from 'linkedom';

/** urdf-loader's robot of a text; it looks for the DOM of a browser. */
export async function loaded(text: string) {
  const document = new DOMParser().parseFromString(text, 'text/xml');
  const { default: URDFLoader } = await import('urdf-loader');
  const known = globalThis as Record<string, unknown>;
  known.Document = document.constructor;
  known.Element = class {};
  try {
    return new URDFLoader().parse(document as never);
  } finally {
    delete known.Document;
    delete known.Element;
  }
}

/** A matrix of three.js, which keeps columns, row by row. */
export const rowsOf = (elements: ArrayLike<number>): number[] =>
  Array.from(elements, (_, k) => elements[4 * (k % 4) + Math.floor(k / 4)]);

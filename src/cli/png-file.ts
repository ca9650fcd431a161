/** Writes PNG files for commands. */

import { InputError, OptionError } from '../base/errors.ts';
import { loadSharp } from '../containers/pixels-sharp.ts';
import type { Canvas } from '../picture/canvas.ts';
import type { Place, Placed } from '../picture/finding.ts';
import { requireEnding, requireWritable } from './atomic-write.ts';
import { identityOf, kindOf } from './inputs/name.ts';

/** Refuses a bad name before the work. @param inputs files that the picture must not replace */
export function requirePngName(png: string, option: string, inputs: Iterable<string>): void {
  if (png === '') throw new OptionError(`${option}: expected a name for the PNG file, found nothing`);
  const own = identityOf(png);
  for (const input of inputs) if (identityOf(input) === own) throw new InputError(`${png}: would overwrite the input`);
  if (kindOf(png) === 'folder' || /[\\/]$/.test(png)) {
    throw new InputError(`${png}: expected a name for the PNG file, found a folder`);
  }
  requireEnding(png, ['.png'], 'PNG');
  requireWritable(png);
}

/** @throws InputError if sharp, which writes pictures, cannot be loaded */
export const sharpForPictures = (): ReturnType<typeof loadSharp> =>
  loadSharp().catch((error: Error) => {
    throw new InputError(
      `a picture needs the package sharp, which cannot be loaded (${error.message.trim().split('\n', 1)[0]})`,
    );
  });

/** The two objects of a finding as a PNG file; null where sharp, which writes it, is missing. */
export async function pngOfFinding(place: Place, a: Placed, b: Placed): Promise<Uint8Array | null> {
  const { drawFinding } = await import('../picture/finding.ts');
  return toPng(drawFinding(place, a, b)).catch(() => null);
}

export async function toPng({ pixels, width, height }: Canvas): Promise<Uint8Array> {
  const sharp = await sharpForPictures();
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6, adaptiveFiltering: true })
    .toBuffer();
}

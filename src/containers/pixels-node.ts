/**
 * Pixels in Node: by sharp; or, where sharp cannot be loaded, by utif's codec, slower and without
 * LZW. sharp is an optional dependency: an install goes on without it on platforms that it has no
 * binary for, and under --omit=optional.
 */
import type { PixelCodec } from './pixels.ts';
import { loadSharp, sharpCodec } from './pixels-sharp.ts';
import { utifCodec } from './pixels-utif.ts';

let chosen: Promise<PixelCodec> | undefined;

/**
 * Chooses once a process, with the first page, and says by process.emitWarning that it is not
 * sharp.
 */
function choose(): Promise<PixelCodec> {
  chosen ??= loadSharp().then(
    () => sharpCodec,
    (error: unknown) => {
      const reason = String((error as Error)?.message ?? error)
        .trim()
        .split('\n', 1)[0];
      const message = `images are read and written without sharp, which is faster: it cannot be loaded (${reason})`;
      process.emitWarning(message, { code: 'GICOLLIDE_NO_SHARP' });
      return utifCodec;
    },
  );
  return chosen;
}

/**
 * `sharpCodec` where sharp can be loaded, else `utifCodec` and one warning. The decoded samples are
 * the same.
 */
export const nodeCodec: PixelCodec = {
  name: 'sharp or utif',
  encode: async (page, compression) => (await choose()).encode(page, compression),
  decode: async (tiff) => (await choose()).decode(tiff),
};

/**
 * gicollide where sharp cannot run: utif decodes, and the platform's own Deflate compresses.
 *
 * @example const image = build(readObj(bytes), { size: 33 });
 *          const { asset } = await read(await write(image));
 *          check(asset, blob).verdict // 'contact'
 */
import { utifCodec } from './containers/pixels-utif.ts';
import { createLibrary } from './library.ts';

export * from './public.ts';
export { utifCodec };

export const { read, write, openImage } = createLibrary(utifCodec);

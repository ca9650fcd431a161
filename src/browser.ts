/**
 * gicollide where sharp cannot run: utif decodes, and the platform's own Deflate compresses.
 *
 * @example const image = build(readObj(bytes), { size: 33 });
 *          const { asset } = await read(await write(image));
 *          check(asset, blob).verdict // 'contact'
 */

import { createLibrary } from './api.ts';
import { utifCodec } from './containers/pixels-utif.ts';

export * from './api.ts';
export { utifCodec };

export const { read, write, openImage, openPair } = /* @__PURE__ */ createLibrary(utifCodec);

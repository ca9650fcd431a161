/** gicollide where sharp cannot run: utif decodes; `write` leaves pixels uncompressed. */
import { utifCodec } from './containers/pixels-utif.ts';
import { createLibrary } from './library.ts';

export * from './public.ts';
export { utifCodec };

export const { read, write } = createLibrary(utifCodec);

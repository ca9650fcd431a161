/** The pages of a geometry image as pictures. */
import { OptionError } from '../math/errors.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import type { Pages } from './protocol.ts';

export function pagesOf(_image: GeometryImage): Pages {
  throw new OptionError('pages: not yet');
}

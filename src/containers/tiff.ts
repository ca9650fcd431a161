/**
 * The TIFF container of a geometry image: directories in (tiff-directory.ts), files out
 * (tiff-writer.ts).
 */

export { isTiff, readDirectories, readDirectoriesOf, type TiffLimits, type TiffPage } from './tiff-directory.ts';
export { asciiJson, isolatePage, joinPages } from './tiff-writer.ts';

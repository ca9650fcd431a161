/** Names common files that are no readable meshes, and suggests a remedy. For unknown files. */

import { A_POINTER } from '../base/errors.ts';

interface Mark {
  at?: number;
  text: string;
}

const EXPORT = ', which gicollide does not read; export glTF or OBJ';

const MODELS: readonly { name: string; marks?: readonly Mark[]; endings: readonly string[] }[] = [
  { name: 'an FBX file', marks: [{ text: 'Kaydara FBX Binary' }, { text: '; FBX ' }], endings: ['.fbx'] },
  { name: 'a Blender file', marks: [{ text: 'BLENDER' }], endings: ['.blend'] },
  { name: 'a STEP file', marks: [{ text: 'ISO-10303-21' }], endings: ['.step', '.stp', '.p21'] },
  { name: 'an IGES file', endings: ['.iges', '.igs'] },
  { name: 'a USD file', marks: [{ text: 'PXR-USDC' }, { text: '#usda ' }], endings: ['.usd', '.usda', '.usdc'] },
  { name: 'a USDZ file', endings: ['.usdz'] },
  { name: 'a 3MF file', endings: ['.3mf'] },
  { name: 'an X3D file', endings: ['.x3d'] },
  { name: 'a VRML file', marks: [{ text: '#VRML ' }], endings: ['.wrl'] },
  { name: 'a Rhino file', marks: [{ text: '3D Geometry File Format ' }], endings: ['.3dm'] },
  { name: 'a DWG file', marks: [{ text: 'AC10' }], endings: ['.dwg'] },
  { name: 'a DXF file', endings: ['.dxf'] },
  { name: 'a 3DS file', endings: ['.3ds'] },
  { name: 'a 3ds Max file', endings: ['.max'] },
  { name: 'a Maya file', marks: [{ text: '//Maya ' }], endings: ['.ma', '.mb'] },
  { name: 'a Cinema 4D file', endings: ['.c4d'] },
  { name: 'a SketchUp file', endings: ['.skp'] },
  { name: 'a JT file', endings: ['.jt'] },
  { name: 'a SolidWorks file', endings: ['.sldprt', '.sldasm'] },
];

const OTHERS: readonly { name: string; marks: readonly Mark[] }[] = [
  { name: 'a PNG image', marks: [{ text: '\x89PNG' }] },
  { name: 'a JPEG image', marks: [{ text: '\xff\xd8\xff' }] },
  { name: 'a GIF image', marks: [{ text: 'GIF8' }] },
  { name: 'a WebP image', marks: [{ at: 8, text: 'WEBP' }] },
  { name: 'a TIFF image', marks: [{ text: 'II*\0' }, { text: 'MM\0*' }] },
  { name: 'a DDS image', marks: [{ text: 'DDS ' }] },
  { name: 'a KTX image', marks: [{ text: '\xabKTX' }] },
  { name: 'an OpenEXR image', marks: [{ text: 'v/1\x01' }] },
  { name: 'an HDR image', marks: [{ text: '#?RADIANCE' }] },
  { name: 'a PDF document', marks: [{ text: '%PDF' }] },
  { name: A_POINTER, marks: [{ text: 'version https://git-lfs' }] },
  { name: 'a compressed file; unpack it', marks: ['\x1f\x8b', '\x28\xb5\x2f\xfd', 'BZh', '\xfd7zXZ'].map(markOf) },
  { name: 'an archive; unpack it', marks: ["7z\xbc\xaf'\x1c", 'Rar!'].map(markOf) },
  { name: 'a Windows compound file, as 3ds Max and SolidWorks write', marks: [{ text: '\xd0\xcf\x11\xe0' }] },
  { name: 'a program', marks: ['\x7fELF', 'MZ\x90'].map(markOf) },
];

function markOf(text: string): Mark {
  return { text };
}

const START = 4096;

/**
 * The kind of a file, as the end of a message: by its content, or else by its name's ending; or
 * null.
 *
 * @param bytes the file, or its start
 * @example foreignFile(new TextEncoder().encode('%PDF-1.7\n')) // 'a PDF document'
 */
export function foreignFile(bytes: Uint8Array, name = ''): string | null {
  if (bytes.length === 0) return 'an empty file';
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, START));
  const has = ({ at = 0, text }: Mark): boolean => start.startsWith(text, at);
  const ending = /\.[^./\\]+$/.exec(name.toLowerCase())?.[0] ?? '';
  const told = MODELS.find(({ marks }) => marks?.some(has));
  if (told) return told.name + EXPORT;
  const other = OTHERS.find(({ marks }) => marks.some(has));
  if (other) return other.name;
  if (has({ text: 'PK\x03\x04' })) return zipOf(start, ending);
  const text = textOf(start);
  if (text !== null) return text;
  const named = MODELS.find(({ endings }) => endings.includes(ending));
  if (named) return `${named.name} by its name${EXPORT}`;
  return null;
}

function zipOf(start: string, ending: string): string {
  if (ending === '.3mf' || /3D\/[\w.-]*\.model|\[Content_Types\]\.xml/.test(start)) return `a 3MF file${EXPORT}`;
  if (ending === '.usdz' || /\.usd[ac]?/.test(start.slice(0, 256))) return `a USDZ file${EXPORT}`;
  return 'a zip archive; unpack it';
}

function textOf(start: string): string | null {
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart();
  const lower = text.slice(0, 1024).toLowerCase();
  if (/^<(!doctype html|html|head|body)\b/.test(lower)) return 'an HTML page instead of the file';
  if (lower.startsWith('{')) return 'JSON; the name of a model of an F-rep ends with .frep.json';
  if (/<x3d\b/.test(lower)) return `an X3D file${EXPORT}`;
  if (lower.startsWith('<')) return 'XML of a kind that gicollide does not read';
  if (/^\s*0\s*\n\s*section\b/.test(start.toLowerCase())) return `a DXF file${EXPORT}`;
  // The first card of an IGES file: S in column 73, and its number.
  if (/^[^\r\n]{72}S {0,6}0*1\s*$/m.test(start.slice(0, 200))) return `an IGES file${EXPORT}`;
  return null;
}

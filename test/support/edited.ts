/** Blobs with wrong contents under a right checksum: what only their readers' own checks can refuse. */
import { readBlob, type SectionArray, writeBlob } from '../../src/containers/blob.ts';

export type Sections = Map<string, SectionArray>;
export type Edit = (sections: Sections, header: Record<string, unknown>) => void;

/** The file after `edit` has changed copies of its sections and its header; the checksum is right again. */
export async function edited(file: Uint8Array, edit: Edit): Promise<Uint8Array> {
  const kind = new TextDecoder().decode(file.subarray(8, 12)).replace(/\0*$/, '');
  const version = new DataView(file.buffer, file.byteOffset).getUint32(12, true);
  const { header, sections } = await readBlob(file.slice(), kind, [version]);
  const copies: Sections = new Map([...sections].map(([name, data]) => [name, data.slice()]));
  edit(copies, header);
  return writeBlob(
    kind,
    version,
    header,
    [...copies].map(([name, data]) => ({ name, data })),
  );
}

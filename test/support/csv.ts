/** CSV as RFC 4180 has it, read back character by character. */
export function parseCsv(source: string, separator = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < source.length; ) {
    let cell = '';
    if (source[at] === '"') {
      for (at++; source[at] !== '"' || source[at + 1] === '"'; at++) {
        if (at >= source.length) throw new Error('a quote that is never closed');
        cell += source[at];
        if (source[at] === '"') at++;
      }
      at++;
    } else while (at < source.length && source[at] !== separator && source[at] !== '\r') cell += source[at++];
    row.push(cell);
    if (source[at] === separator) at++;
    else if (source.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else throw new Error(`no end of a cell at ${at}`);
  }
  if (row.length > 0) throw new Error('no end of the last line');
  return rows;
}

/** STEP's text: what is read of it, and the line of what is not STEP. */
import { describe, expect, test } from 'vitest';
import { checkGraph, indexRecords, type StepValue, stepArguments } from '../../src/readers/ifc/step-records.ts';
import { scanStep } from '../../src/readers/ifc/step-scanner.ts';
import { seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** A file of records, the first on line 6. */
const fileOf = (...records: string[]) =>
  bytesOf(
    [
      'ISO-10303-21;',
      'HEADER;',
      "FILE_SCHEMA(('ifc4 '));",
      'ENDSEC;',
      'DATA;',
      ...records,
      'ENDSEC;',
      'END-ISO-10303-21;',
    ].join('\n'),
  );

describe('scanStep', () => {
  test('records, types and references, whatever stands between', () => {
    const file = scanStep(
      fileOf("#7 = A ( #1 , ( #2 , B(#3) ) , 'x'') #9 ' ) /* ; #4 */ ;#1=a($,*,.T.,-1.5E-3,\"0F\");", '#2=C();'),
    );
    expect(file).toMatchObject({ schema: 'IFC4', count: 3, typeNames: ['A', 'C'] });
    expect([...file.ids]).toEqual([7, 1, 2]);
    expect([...file.types]).toEqual([0, 0, 1]);
    expect([...file.refs]).toEqual([1, 2, 3]);
    expect([...file.firstRef]).toEqual([0, 3, 3, 3]);
  });

  test.each<[string, string, string]>([
    ['#1=A(1.,,2.);', 'a value', '","'],
    ['#1=A(1. 2.);', 'a comma or a bracket', '"2."'],
    ['#1=A(1.,);', 'a value', ')'],
    ['#1=A(1.)#2=A();', 'a semicolon', '"#2"'],
    ['#1=A((1.);', 'a comma or a bracket', '";"'],
    ['#1=A(.T);', 'a dot after the word', '")"'],
    ['#1=A(1.5.2);', 'a comma or a bracket', '".2"'],
    ['#1=A(1.E);', 'a number', '"1.E"'],
    ['#1=A(-);', 'a number', '"-"'],
    ['#1=A(x);', 'a bracket', '")"'],
    ['#=A();', 'a number after #', '"="'],
    ['#2147483648=A();', 'a number up to 2147483647 after #', '"2147483648"'],
    ['#1=A(#99999999999);', 'a number up to 2147483647 after #', '"99999999999"'],
    ['#1=(A()B());', 'a name', '"("'],
    ['#1 A();', 'an equals sign', '"A"'],
    ['A();', 'a record, #1=...', 'A'],
    [`#1=A(${'('.repeat(64)});`, 'at most 64 nested brackets', 'more'],
    ["#1=A('x", 'a closing quote', 'the end of the file'],
    ['#1=A(/* x', 'the end of the comment', 'the end of the file'],
    [`#1=${'A'.repeat(101)}();`, 'a name of at most 100 characters', '101'],
  ])('%s on line 7: expected %s, found %s', (record, expected, found) => {
    const error = refusal(() => scanStep(fileOf('#5=OK();', record)));
    expect([error.place, error.expected, error.found]).toEqual([{ line: 7 }, expected, found]);
  });

  test('every beginning of a file is refused', () => {
    const bytes = fileOf("#1=A(#2,'x''y',(1.E5,.T.),/* c */$);", '#2=B("0");');
    for (let size = 0; size < bytes.length; size++) refusal(() => scanStep(bytes.subarray(0, size)));
    expect(scanStep(bytes).count).toBe(2);
  });

  test.each<[string, string, string | null]>([
    ['r', '#1', null],
    ['r', '1.', 'a reference as argument 1 of A'],
    ['r', '$', 'a reference as argument 1 of A'],
    ['R', '$', null],
    ['n', '#1', 'a number as argument 1 of A'],
    ['e', "'x'", 'a word as argument 1 of A'],
    ['S', '*', null],
    ['l', '(#1,#2)', null],
    ['l', '#1', 'a list of references as argument 1 of A'],
    ['l', '(#1,1.)', 'a list of references as argument 1 of A'],
    ['l', '((#1))', 'a list of references as argument 1 of A'],
    ['p', '(1.,-2)', null],
    ['p', '(1.,$)', 'a list of numbers as argument 1 of A'],
    ['q', '((1.,2.),(3.))', null],
    ['q', '(1.,2.)', 'lists of numbers as argument 1 of A'],
    ['k', '((#1))', null],
    ['t', "(B(1.),'x',$,(#1))", null],
    ['t', 'B(1.)', 'a list as argument 1 of A'],
    ['?', 'B((1.))', null],
    ['nn', '1.', '2 arguments of A'],
    ['n', '', '1 arguments of A'],
    ['nN', '1.', null],
    ['n', '-9.E29', null],
    ['n', '1.E+30', 'a number below 1e30 in A'],
    ['p', `(1.E99999,1.)`, 'a number below 1e30 in A'],
    ['n', `1${'0'.repeat(30)}`, 'a number below 1e30 in A'],
    ['n', '1.E-400', null],
    ['?', '1.E999', 'a number below 1e30 in A'],
    ['n', '1.,2.', null],
  ])('the signature %s takes A(%s): %s', (signature, list, expected) => {
    const scan = () => scanStep(fileOf('#1=B(5);', `#2=A(${list});`), { A: signature });
    if (expected === null) expect(scan().count).toBe(2);
    else expect(refusal(scan)).toMatchObject({ place: { line: 7 }, expected });
  });
});

test('stepArguments: every kind of value', () => {
  const { bytes, starts } = scanStep(
    fileOf('#1=A( #2 ,\'T\\S\\|r\',(.MILLI.,$ , -1.5E1 ),B( 5 ) /* a * b / ) */,*,"0F",7);'),
  );
  const values = [
    { ref: 2 },
    { text: 'Tür' },
    [{ word: 'MILLI' }, null, -15],
    { type: 'B', values: [5] },
    null,
    { text: '0F' },
    7,
  ];
  expect(stepArguments(bytes, starts[0])).toEqual(values);
  expect(stepArguments(bytes, starts[0], 3)).toEqual(values.slice(0, 3));
});

describe('text', () => {
  const textOf = (encoded: Uint8Array): StepValue =>
    stepArguments(Uint8Array.of(...latin("('"), ...encoded, ...latin("')")), 0)[0];

  test.each<[string, string]>([
    ["it''s \\\\ here", "it's \\ here"],
    ['\\X\\FC \\X2\\00FC20AC\\X0\\ \\X4\\0001F600\\X0\\', 'ü ü€ \u{1f600}'],
    ['\\S\\|', 'ü'],
    ['\\PE\\\\S\\P', '\u0430'],
    ['\\X2\\D83DDE00\\X0\\', '\u{1f600}'],
    ['\\X4\\FFFFFFFF\\X0\\ \\X2\\00F\\X0\\ \\Q', '\ufffd \\X2\\00F\\X0\\ \\Q'],
  ])('%s', (encoded, text) => expect(textOf(latin(encoded))).toEqual({ text }));

  test('bytes that STEP does not have: UTF-8, or Latin-1', () => {
    expect(textOf(bytesOf('Tür'))).toEqual({ text: 'Tür' });
    expect(textOf(latin('Tür'))).toEqual({ text: 'Tür' });
  });

  test('any text, written as the standard says (seed 42)', () => {
    const random = seeded(42);
    for (let k = 0; k < 200; k++) {
      const codes = Array.from({ length: 12 }, () => random.pick([39, 92, 65, 0x20ac, 0x1f600, 88, 0xfc, 83, 32])!);
      const written = codes.map((code) => {
        const hex = code.toString(16).toUpperCase();
        if (code === 39 || code === 92) return String.fromCharCode(code, code);
        if (code < 127) return String.fromCharCode(code);
        return code < 0x10000 ? `\\X2\\${hex.padStart(4, '0')}\\X0\\` : `\\X4\\${hex.padStart(8, '0')}\\X0\\`;
      });
      expect(textOf(latin(written.join('')))).toEqual({ text: String.fromCodePoint(...codes) });
    }
  });
});

describe('checkGraph', () => {
  const check = (records: string[], roots = [0], extra = new Map<number, number[]>()) => {
    const file = scanStep(fileOf(...records));
    checkGraph(file, indexRecords(file), roots, extra);
  };

  test('what is reached may be reached twice, and what is not reached may be wrong', () => {
    check(['#1=A(#2,#3);', '#2=A(#3);', '#3=A();', '#4=A(#99,#4);']);
  });

  test.each<[string, string[], string, string]>([
    ['nothing there', ['#1=A(#2);', '#2=A(#99);'], 'a record #99', 'none'],
    ['itself', ['#1=A(#2);', '#2=A(#2);'], 'references without a cycle', 'a cycle: #2 -> #2'],
    ['a cycle', ['#9=A(#2);', '#2=A(#3);', '#3=A(#2);'], 'references without a cycle', 'a cycle: #2 -> #3 -> #2'],
    ['an id twice', ['#1=A();', '#1=A();'], 'a unique id', '#1 a second time'],
    ['a far id twice', ['#2000000000=A();', '#2000000000=A();'], 'a unique id', '#2000000000 a second time'],
  ])('%s', (_, records, expected, found) => {
    expect(refusal(() => check(records))).toMatchObject({ place: { line: 7 }, expected, found });
  });

  test('a ring through what is said elsewhere: an opening of itself', () => {
    const opened = () => check(['#1=A(#2);', '#2=A();'], [0], new Map([[1, [0]]]));
    expect(refusal(opened)).toMatchObject({ found: 'a cycle: #1 -> #2 -> #1' });
  });

  test('maps of maps of maps, and chains without end, cost no time', () => {
    const doubling = Array.from({ length: 60 }, (_, k) => `#${k + 1}=A(#${k + 2},#${k + 2});`);
    expect(refusal(() => check([...doubling, '#61=A();'])).expected).toMatch(/^at most 4294967296 records/);
    const chain = Array.from({ length: 5000 }, (_, k) => `#${k + 1}=A(#${k + 2});`);
    expect(refusal(() => check([...chain, '#5001=A();'])).expected).toBe('references at most 2000 levels deep');
    // Each piece of a chain on its own, from its end: what is known by then counts.
    const roots = Array.from({ length: 5000 }, (_, k) => 4999 - k);
    expect(refusal(() => check([...chain, '#5001=A();'], roots)).expected).toBe('references at most 2000 levels deep');
  });
});

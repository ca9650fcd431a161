/**
 * Short names of objects, for people: the end of a path comes first, and the parts that all have in
 * common are left out. Different objects keep different names.
 */

export interface ShortName {
  /** Unique among the given names. May hold anything: see `printable`. */
  label: string;
  /** Its class and file, or the folders above it; often empty. */
  place: string;
}

interface Parts {
  /** From the shortest to the whole name, made when needed. */
  forms: (() => string)[];
  /** The file and the folders above; and the class, of IFC. */
  file: string;
  kind: string;
}

/** A class of IFC among the parts of a path; a file may be called like one. */
const CLASS = /(?:^|\/)(Ifc[A-Z]\w*)(?=$|\/(?!Ifc[A-Z]\w*(?:$|\/)))/;
const GLOBAL_ID = /^[0-3][\w$]{21}(?:~\d+)?$/;
/** Family, type and number, as Revit names elements. */
const REVIT = /^([^:]+):(.+):(\d+(?::\d+)?)$/s;
/** Letters at the end of an id that tell elements of one name apart. */
const TAIL = 5;
/** Parts of a path to try, one more each time, before the whole name. */
const MOST_PARTS = 8;

/**
 * Returns the names' short forms, in their order.
 *
 * @param names unique
 * @example shortNames(['house/wall', 'house/pipe', 'shed/wall']).map(({ label }) => label)
 *          // ['house/wall', 'pipe', 'shed/wall']
 */
export function shortNames(names: readonly string[]): ShortName[] {
  const elements = names.map(elementOf);
  const families = familiesOf(names.map((name, k) => elements[k]?.words ?? name.slice(name.lastIndexOf('/') + 1)));
  const parts = names.map((name, k) => partsOf(name, elements[k] ?? null, families));
  const levels = new Uint32Array(names.length);
  const labels = parts.map(({ forms }) => forms[0]!());
  for (let isDone = false; !isDone; ) {
    isDone = true;
    const groups = new Map<string, number[]>();
    for (const [k, label] of labels.entries()) {
      const group = groups.get(label);
      if (group) group.push(k);
      else groups.set(label, [k]);
    }
    for (const group of groups.values()) {
      if (group.length === 1) continue;
      for (const k of group) {
        const form = parts[k]!.forms[levels[k]! + 1];
        if (!form) continue;
        levels[k]!++;
        labels[k] = form();
        isDone = false;
      }
    }
  }
  // A label that grew has a part of the folders.
  const files = parts.map(({ file }, k) =>
    names[k]!.endsWith(labels[k]!) ? names[k]!.slice(0, names[k]!.length - labels[k]!.length) : file,
  );
  const start = commonStart(files);
  return parts.map(({ kind }, k) => ({
    label: labels[k]!,
    place: [kind, files[k]!.slice(start).replace(/\/$/, '')].filter(Boolean).join(', '),
  }));
}

/** Returns the path to the class of an element of IFC; null for other names. */
export function classPathOf(name: string): string | null {
  const element = elementOf(name);
  return element && element.file + element.kind;
}

interface Element {
  file: string;
  kind: string;
  words: string;
  id: string;
}

/** Reads the name of an element of IFC: `file/class/name/id`; file and name may be missing. */
function elementOf(name: string): Element | null {
  const end = name.lastIndexOf('/');
  const [id, path] = [name.slice(end + 1), name.slice(0, Math.max(0, end))];
  const found = GLOBAL_ID.test(id) ? CLASS.exec(path) : null;
  const kind = found?.[1];
  if (!found || !kind) return null;
  const start = path.indexOf('Ifc', found.index);
  const words = path.slice(start + kind.length + 1) || kind.slice(3).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return { file: path.slice(0, start), kind, words, id };
}

/** The types of each family, and the families of each type. */
type Families = ReadonlyMap<string, ReadonlySet<string>>;

function familiesOf(all: readonly string[]): Families {
  const found = new Map<string, Set<string>>();
  const add = (key: string, other: string): void => {
    const known = found.get(key);
    if (known) known.add(other);
    else found.set(key, new Set([other]));
  };
  for (const words of all) {
    const [, family, type] = REVIT.exec(words) ?? [];
    if (family === undefined || type === undefined) continue;
    add(`${family}:`, type);
    add(`:${type}`, family);
  }
  return found;
}

function partsOf(name: string, element: Element | null, families: Families): Parts {
  if (element) {
    const { file, kind, words, id } = element;
    const full = words.replaceAll(':', ' ');
    const forms = [shortened(words, families), full, `${full} ${id.slice(-TAIL)}`, `${full} ${id}`, name];
    return { forms: forms.map((form) => () => form), file, kind };
  }
  // Slashes at the end belong to the last part.
  let at = name.length;
  while (at > 0 && name[at - 1] === '/') at--;
  const starts: number[] = [];
  for (at = name.lastIndexOf('/', at - 1); at > 0 && starts.length < MOST_PARTS; at = name.lastIndexOf('/', at - 1))
    starts.push(at + 1);
  const [start = 0] = starts;
  const forms = [...starts, 0].map((from) => () => name.slice(from));
  return { forms: [() => shortened(name.slice(start), families), ...forms], file: name.slice(0, start), kind: '' };
}

/**
 * Leaves out words that the others imply: the type of a family that has only one, and the family of
 * a type that has two words of its own.
 */
function shortened(words: string, families: Families): string {
  const [, family, type, number] = REVIT.exec(words) ?? [];
  if (family === undefined || type === undefined) return words;
  const isOnlyType = (families.get(`${family}:`)?.size ?? 1) === 1;
  const isOwnName = families.get(`:${type}`)?.size === 1 && /\p{L}{4}.*\P{L}\p{L}{4}/u.test(type);
  // `Interior - Partition (92mm Stud)`
  const own = type.replace(/ \([^()]*\)$/, '').replaceAll(' - ', ' ');
  return `${isOnlyType ? family : isOwnName ? own : `${family} ${own}`} ${number}`;
}

/** Letters that all files begin with, up to the end of a folder. */
function commonStart(files: readonly string[]): number {
  const [first = ''] = files;
  let common = first.length;
  for (const file of files) while (!file.startsWith(first.slice(0, common))) common--;
  return files.every(({ length }) => length === common) ? common : first.lastIndexOf('/', common - 1) + 1;
}

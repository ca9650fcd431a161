// Puts every *.wgsl of src/gpu into src/gpu/shaders.generated.ts, by its name, so that the library
// finds them in Node, in a worker and in a bundle alike. If the package `webgpu` is installed, its
// compiler checks them first, on a device without hardware, and an error stops the build. A line
// `// include NAME.wgsl` appends that file; an included file is not a shader by itself. Does
// nothing if the result is newer than all sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../src/gpu/', import.meta.url);
const target = new URL('shaders.generated.ts', root);

const INCLUDE = /^\/\/ include (\S+)$/gm;

/**
 * A shader followed by its includes. Lines keep their numbers, and the order doesn't matter in
 * WGSL.
 *
 * @param {URL} file
 */
export function shaderText(file) {
  const text = readFileSync(file, 'utf8');
  const included = Array.from(text.matchAll(INCLUDE), ([, name]) => readFileSync(new URL(name, file), 'utf8'));
  return [text, ...included].join('');
}

export function buildShaders() {
  const all = readdirSync(root)
    .filter((name) => name.endsWith('.wgsl'))
    .sort();
  const texts = all.map((name) => readFileSync(new URL(name, root), 'utf8')).join('');
  const included = Array.from(texts.matchAll(INCLUDE), ([, name]) => name);
  const names = all.filter((name) => !included.includes(name));
  const dependencies = [...all.map((name) => new URL(name, root)), new URL(import.meta.url), root];
  const newest = Math.max(...dependencies.map((file) => statSync(file).ctimeMs));
  if (existsSync(target) && statSync(target).mtimeMs > newest) return;
  const check = fileURLToPath(new URL('check-shaders.mjs', import.meta.url));
  const files = names.map((name) => fileURLToPath(new URL(name, root)));
  const { status, stdout, stderr } = spawnSync(process.execPath, [check, ...files], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`shaders: ${stdout}${stderr}`);
  const entries = names.map((name) => {
    const text = shaderText(new URL(name, root)).replaceAll(/\s*\/\/.*$/gm, '');
    return `  '${name.replace('.wgsl', '')}': ${JSON.stringify(text)},\n`;
  });
  // A type of its own: a declaration file would otherwise repeat all texts.
  const type = `Readonly<Record<${names.map((name) => `'${name.replace('.wgsl', '')}'`).join(' | ')}, string>>`;
  const text = `// Made by scripts/build-shaders.mjs out of the *.wgsl beside this file.\nexport const SHADERS: ${type} = {\n${entries.join('')}};\n`;
  // Renamed into place: tests and a build may run at once.
  const unfinished = new URL(`shaders.generated.${process.pid}`, root);
  writeFileSync(unfinished, text);
  renameSync(unfinished, target);
  // The folder is newer for the rename: the result must not look older than it.
  writeFileSync(target, text);
}

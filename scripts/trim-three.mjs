// Removes the parts of three that the page never uses, for scripts/bundle-viewer.mjs. three's
// renderer refers to all of its shaders, WebXR, shadows and textures, so no bundler can leave them
// out: 147 KB compressed for a page that draws with its own shaders. A removed function throws an
// error with its name if it is called.
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = realpathSync(fileURLToPath(new URL('../node_modules/three/src', import.meta.url)));

/** The shaders that stay, by their names in ShaderLib: of MeshBasicMaterial and LineBasicMaterial. */
const SHADERS = ['meshbasic'];

/** Parts of shaders for what no material of the page has; each is empty then. */
const UNUSED_CHUNKS =
  /^(alphahash|alphamap|aomap|batching|bumpmap|clearcoat|cube_uv|displacementmap|dithering|emissivemap|envmap|fog|gradientmap|iridescence|light|lightmap|logdepthbuf|map_|metalnessmap|morph|normalmap|roughnessmap|shadow|skin|specularmap|tonemapping|transmission|uv_)/;

const call = (/** @type {string} */ name) =>
  `() => { throw new Error('three: ${name} is left out of this page (scripts/trim-three.mjs)'); }`;
const refused = (/** @type {string[]} */ ...names) => names.map((name) => `${name}: ${call(name)}`).join(', ');

/**
 * Modules in the place of three's own, by their paths.
 *
 * @type {Record<string, string>}
 */
const REPLACED = {
  'renderers/webxr/WebXRManager.js': `export class WebXRManager {
    enabled = false; isPresenting = false;
    getEnvironmentBlendMode() {} setAnimationLoop() {} addEventListener() {} removeEventListener() {} dispose() {}
  }`,
  'renderers/webgl/WebGLShadowMap.js': `export function WebGLShadowMap() {
    Object.assign(this, { enabled: false, autoUpdate: true, needsUpdate: false, type: 0, render() {} });
  }`,
  'renderers/webgl/WebGLEnvironments.js': `export function WebGLEnvironments() {
    return { get: (texture) => texture && (${call('environment maps')})(), dispose() {} };
  }`,
  'renderers/webgl/WebGLOutput.js': `export function WebGLOutput() { (${call('WebGLOutput')})(); }`,
  'renderers/webgl/WebGLMorphtargets.js': `export function WebGLMorphtargets() { return { ${refused('update')} }; }`,
  'renderers/webgl/WebGLUniformsGroups.js': `export function WebGLUniformsGroups() {
    return { ${refused('bind', 'update')}, dispose() {} };
  }`,
  'renderers/shaders/DFGLUTData.js': 'export const getDFGLUT = () => null;',
  // Sees that uniforms get their units where a shader has samplers, and refuses to fill them.
  'renderers/webgl/WebGLTextures.js': `export function WebGLTextures() {
    let units = 0;
    Object.assign(this, {
      resetTextureUnits() { units = 0; }, getTextureUnits: () => units, setTextureUnits(count) { units = count; },
      dispose() {},
      ${refused(
        ...['allocateTextureUnit', 'setTexture2D', 'setTexture2DArray', 'setTexture3D', 'setTextureCube'],
        ...['rebindTextures', 'setupRenderTarget', 'updateRenderTargetMipmap', 'updateMultisampleRenderTarget'],
        ...['setupDepthRenderbuffer', 'setupFrameBufferTexture', 'useMultisampledRTT'],
      )},
    });
  }`,
};

/**
 * Functions of modules that throw, by the modules' paths.
 *
 * @type {Record<string, string[]>}
 */
const UNUSED_FUNCTIONS = {
  'renderers/WebGLRenderer.js': [
    ...['readRenderTargetPixels', 'readRenderTargetPixelsAsync', 'copyFramebufferToTexture', 'copyTextureToTexture'],
    ...['initRenderTarget', 'initTexture', 'compileAsync', 'renderTransmissionPass', 'setRenderTargetFramebuffer'],
    ...['setRenderTargetTextures', 'setEffects'],
  ],
  'materials/Material.js': ['toJSON', 'fromJSON'],
  'materials/ShaderMaterial.js': ['toJSON', 'fromJSON'],
  'core/Object3D.js': ['toJSON'],
  'core/BufferGeometry.js': ['toJSON', 'computeTangents', 'toNonIndexed'],
  'core/BufferAttribute.js': ['toJSON'],
};

/** @type {import('esbuild').Plugin} */
export const trimThree = {
  name: 'trim three',
  setup({ onResolve, onLoad, onEnd }) {
    const met = new Set();
    onResolve({ filter: /^three$/ }, () => ({ path: join(SOURCE, 'Three.js'), sideEffects: false }));
    onLoad({ filter: /node_modules.three.src.*\.js$/ }, ({ path }) => {
      const name = relative(SOURCE, path).split(sep).join('/');
      met.add(name);
      return { contents: REPLACED[name] ?? trimmed(name, readFileSync(path, 'utf8')), loader: 'js' };
    });
    onEnd(({ errors }) => {
      const unknown = [...Object.keys(REPLACED), ...Object.keys(UNUSED_FUNCTIONS)].filter((name) => !met.has(name));
      // From another version of three, or no longer part of the page.
      if (errors.length === 0 && met.size > 0 && unknown.length > 0)
        throw new Error(`three has no ${unknown.join(', ')}: see trim-three.mjs`);
    });
  },
};

/** @param {string} name @param {string} text */
function trimmed(name, text) {
  const [, chunk] = /ShaderChunk\/(\w+)\.glsl\.js$/.exec(name) ?? [];
  if (chunk) return UNUSED_CHUNKS.test(chunk) ? "export default '';" : minifiedShader(text);
  const [, shader] = /ShaderLib\/(\w+)\.glsl\.js$/.exec(name) ?? [];
  if (shader) return SHADERS.includes(shader) ? minifiedShader(text) : "export const vertex = '', fragment = '';";
  return (UNUSED_FUNCTIONS[name] ?? []).reduce((rest, unused) => withoutFunction(name, rest, unused), text);
}

/** GLSL in a module, without comments, indents and empty lines. */
function minifiedShader(/** @type {string} */ text) {
  return text
    .replaceAll(/\/\*(?!\s*glsl)[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*$/gm, '')
    .replaceAll(/^[ \t]+|[ \t]+$/gm, '')
    .replaceAll(/\n+/g, '\n');
}

/**
 * The text with a method, or a function that is assigned or declared, that throws. three indents
 * by tabs, so it ends at the first brace that stands below its beginning.
 *
 * @param {string} name @param {string} text @param {string} unused
 */
function withoutFunction(name, text, unused) {
  const head = new RegExp(
    `^(\\t+)((?:static )?${unused}\\(|function ${unused}\\(|this\\.${unused} = (?:async )?function ?\\().*\\{$`,
    'm',
  );
  const found = head.exec(text);
  if (!found) throw new Error(`three: ${name} has no ${unused}`);
  const open = text.indexOf('{\n', found.index);
  const close = text.indexOf(`\n${found[1]}}`, open);
  return `${text.slice(0, open)}{ (${call(unused)})(); ${text.slice(close + 1)}`;
}

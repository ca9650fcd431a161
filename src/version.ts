/** The version that files record; a test holds it equal to package.json's. */
export const VERSION: string = '0.2.0';
export const TOOL_NAME = 'gicollide';
export const TOOL = `${TOOL_NAME} ${VERSION}`;

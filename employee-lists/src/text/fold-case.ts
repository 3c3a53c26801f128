/** For case-insensitive comparison; the final sigma equals the other. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** The one form in which texts are compared where case makes no difference; the final sigma is like any other. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** G2: whether the essence of a content type is exactly `application/json`. A list of types is none, wherever its comma stands. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType.includes(',')) return false;
  const end = contentType.indexOf(';');
  const essence = end === -1 ? contentType : contentType.slice(0, end);
  return essence.trim().toLowerCase() === 'application/json';
}

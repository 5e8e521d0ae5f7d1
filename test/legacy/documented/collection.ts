// SPDX-License-Identifier: Apache-2.0
/** Stands for the driver's collection in the documented applications. */

export const documents = new Map<string, { readonly session: unknown; readonly expires: Date }>();

export const collection = {
  findOne: async ({ _id }: { readonly _id: string }) => documents.get(_id) ?? null,
  deleteOne: async ({ _id }: { readonly _id: string }) => void documents.delete(_id),
};

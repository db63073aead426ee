"""Numbers that several rooms need and no library has. Imports the kernel, `system` and `record`.

ranges                      ranges of integers in arrays
sorter                      sorts entries of keys and values and looks them up, in memory or on disk
payload_store               payloads on disk
seen_ids                    which ids were seen before, within a limit of memory
union_find                  connected components
covered_documents           documents that may go for others, and those that stay
binomial                    binomial chances, exactly: how far an estimate may be off
exact_ratios                exact ratios of counts, and how tables show them
inverse_document_frequency  inverse document frequencies
weighted_shares             shares of things with weights, with confidence intervals
pair_relation               documents that belong together, as pairs and classes
"""

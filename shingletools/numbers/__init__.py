"""Numbers that several rooms need and no library has. Imports the kernel, `system` and `record`.

ranges     ranges of integers in arrays
sorter     sorts entries of keys and values and looks them up, in memory or on disk
unionfind  what is connected with what
chances    binomial chances, exactly: how far an estimate may be off, and what signatures find and miss
ratios     exact ratios of counts, and how tables show them
rarity     inverse document frequencies
belonging  what belongs together, as pairs and classes
"""

"""The page of `simshow --html`: pairs side by side, and groups as strips.

Data walks down this list:

figures   histograms
ties      what holds a group together: density, weakest link, steps
names     ids as they are shown
places    where passages lie, as a browser counts
frame     the page without its data, and what it may do
page      comparisons and groups in, the page out
"""

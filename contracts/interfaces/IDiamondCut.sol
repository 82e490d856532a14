// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Changes which facet serves which selector of a diamond (EIP-2535), and nothing else.
/// @dev Only an upgrader or the root of the diamond's registry may cut, only to facets whose code the registry has
///      approved at their addresses, and only selectors that the facet itself exports. A cut never runs other code.
interface IDiamondCut {
    /// @notice The action on the selectors of a part.
    enum FacetCutAction {
        Add,
        Replace,
        Remove
    }

    /// @notice One facet with the selectors that it will serve; with a zero facet, selectors to remove.
    struct FacetCut {
        address facetAddress;
        FacetCutAction action;
        bytes4[] functionSelectors;
    }

    /// @notice The selectors of the diamond changed as listed (EIP-2535).
    /// @param _diamondCut Parts to add, replace and remove, in this order.
    /// @param _init Always zero; EIP-2535 requires the argument.
    /// @param _calldata Always empty.
    event DiamondCut(FacetCut[] _diamondCut, address _init, bytes _calldata);

    /// @notice Only upgraders and root cut.
    /// @param caller The actual caller.
    error NotUpgrader(address caller);
    /// @notice The registry has not approved the facet's code at its address, or has revoked it.
    /// @param facet The facet.
    /// @param codeHash Hash of its runtime code.
    error FacetNotApproved(address facet, bytes32 codeHash);
    /// @notice A cut without selectors.
    /// @param facet Its facet.
    error NoSelectors(address facet);
    /// @notice The facet does not export the selector.
    /// @param facet The facet.
    /// @param selector The selector.
    error SelectorNotExported(address facet, bytes4 selector);
    /// @notice The selector to be added is served already.
    /// @param selector The selector.
    /// @param facet The facet that serves it.
    error SelectorExists(bytes4 selector, address facet);
    /// @notice The diamond has no such selector to replace or remove.
    /// @param selector The selector.
    error SelectorUnknown(bytes4 selector);
    /// @notice The selector is served by this facet already.
    /// @param selector The selector.
    /// @param facet The facet.
    error SelectorUnchanged(bytes4 selector, address facet);
    /// @notice Cut and loupe can not be removed.
    /// @param selector The selector.
    error SelectorProtected(bytes4 selector);
    /// @notice A removal names a facet (EIP-2535 wants zero).
    /// @param facet The facet.
    error RemoveNeedsZeroFacet(address facet);
    /// @notice A cut runs no other code: `_init` has to be zero and its call data empty.
    /// @param init What was given.
    error InitRefused(address init);
    /// @notice The diamond does not look any more as the caller saw it.
    /// @param expected The hash that was given.
    /// @param actual The hash now.
    error StaleLoupe(bytes32 expected, bytes32 actual);

    /// @notice Adds, replaces and removes selectors.
    /// @param _diamondCut Parts to add, replace and remove, in this order.
    /// @param _init Always zero; EIP-2535 requires the argument.
    /// @param _calldata Always empty.
    function diamondCut(FacetCut[] calldata _diamondCut, address _init, bytes calldata _calldata) external;

    /// @notice The same, but reverts with `StaleLoupe` unless the diamond still looks as the caller saw it.
    /// @param _diamondCut Parts to add, replace and remove, in this order.
    /// @param _init Always zero; EIP-2535 requires the argument.
    /// @param _calldata Always empty.
    /// @param expectedLoupeHash keccak256 of the bytes that a call of `facets()` returned, `keccak256(abi.encode(facets()))`.
    function diamondCutChecked(
        FacetCut[] calldata _diamondCut,
        address _init,
        bytes calldata _calldata,
        bytes32 expectedLoupeHash
    ) external;
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Changes which facet serves which selector of a diamond (EIP-2535), and nothing else.
/// @dev Only an upgrader or the root of the diamond's registry may cut, only to facets whose code hash the registry
///      has approved, and only selectors that the facet itself exports.
interface IDiamondCut {
    enum FacetCutAction {
        Add,
        Replace,
        Remove
    }

    struct FacetCut {
        address facetAddress;
        FacetCutAction action;
        bytes4[] functionSelectors;
    }

    /// @notice The selectors of the diamond changed as listed (EIP-2535).
    event DiamondCut(FacetCut[] _diamondCut, address _init, bytes _calldata);

    error NotUpgrader(address caller);
    error FacetNotApproved(address facet, bytes32 codeHash);
    error NoSelectors(address facet);
    error SelectorNotExported(address facet, bytes4 selector);
    error SelectorExists(bytes4 selector, address facet);
    error SelectorUnknown(bytes4 selector);
    error SelectorUnchanged(bytes4 selector, address facet);
    error SelectorProtected(bytes4 selector);
    error RemoveNeedsZeroFacet(address facet);
    error InitNotApproved(address init, bytes32 codeHash);
    error InitDataWithoutInit();
    error InitFailed(address init);
    error StaleLoupe(bytes32 expected, bytes32 actual);

    /// @notice Adds, replaces and removes selectors, then runs `_calldata` on `_init` by delegatecall unless it is zero.
    function diamondCut(FacetCut[] calldata _diamondCut, address _init, bytes calldata _calldata) external;

    /// @notice The same, but reverts with `StaleLoupe` unless the diamond still looks as the caller saw it.
    /// @param expectedLoupeHash keccak256 of the bytes that a call of `facets()` returned, `keccak256(abi.encode(facets()))`.
    function diamondCutChecked(
        FacetCut[] calldata _diamondCut,
        address _init,
        bytes calldata _calldata,
        bytes32 expectedLoupeHash
    ) external;
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Shows the facets and selectors of a diamond (EIP-2535).
interface IDiamondLoupe {
    /// @notice A facet and the selectors that it serves.
    struct Facet {
        address facetAddress;
        bytes4[] functionSelectors;
    }

    /// @notice All facets with their selectors, in the order in which their first selector is stored.
    /// @return facets_ One entry for each facet.
    function facets() external view returns (Facet[] memory facets_);

    /// @notice Selectors that this facet serves; empty for any other address.
    /// @param _facet Any address.
    /// @return facetFunctionSelectors_ Its selectors.
    function facetFunctionSelectors(address _facet) external view returns (bytes4[] memory facetFunctionSelectors_);

    /// @notice Addresses of all facets.
    /// @return facetAddresses_ In the order of `facets`.
    function facetAddresses() external view returns (address[] memory facetAddresses_);

    /// @notice The facet that serves this selector, or zero.
    /// @param _functionSelector Any selector.
    /// @return facetAddress_ The facet.
    function facetAddress(bytes4 _functionSelector) external view returns (address facetAddress_);
}
